#!/usr/bin/env python3
"""notebook.py SCRIPT >NOTEBOOK: makes a Jupyter notebook of a script whose cells begin with "# %%"; "# %% [markdown]" begins a text."""
import json
import re
import sys


def cells(text):
    for head, body in re.findall(r"^# %%(.*)\n((?:(?!# %%).*\n?)*)", text, re.M):
        lines = body.strip("\n").split("\n")
        if "[markdown]" in head:
            lines = [line.removeprefix("#").removeprefix(" ") for line in lines]
        source = [line + "\n" for line in lines[:-1]] + lines[-1:]
        yield {"cell_type": "markdown", "metadata": {}, "source": source} if "[markdown]" in head else {
            "cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [], "source": source}


kernel = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}, "language_info": {"name": "python"}}
with open(sys.argv[1], encoding="utf-8") as script:
    json.dump({"cells": list(cells(script.read())), "metadata": kernel, "nbformat": 4, "nbformat_minor": 4}, sys.stdout, indent=1)
print()
