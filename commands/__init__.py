"""What the scripts `train.py`, `evaluate.py` and `tournament.py` do.

Each has a module that reads its command line without TensorFlow (`*_options`) and one that does
what the command line asks for.
"""
