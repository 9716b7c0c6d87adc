"""The table in the browser.

Reading order: `messages` (what a page may say), `access` (who may say it), `menu` (whom one can
play against), `thinking` (agents asked in one thread, many tables at once), `rooms` (sessions that
pages look at), `connections` (one page), `server`.
"""
