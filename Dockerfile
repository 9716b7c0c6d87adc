# Training in a container; docs/how-to/install.md has the line that runs it.
FROM python:3.12

WORKDIR /app

# The packages first: this layer is built again only when the requirements change.
COPY Makefile requirements.txt ./
RUN make .venv/.run

COPY . .

# Ctrl-C and `docker stop` reach the program itself, which saves what it has and ends.
ENTRYPOINT ["/app/.venv/bin/python", "train.py"]
