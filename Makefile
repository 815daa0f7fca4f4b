.PHONY: check format
check:  ## style, types and tests of this environment
	ruff check .
	ruff format --check .
	mypy
	python -m pytest

format:
	ruff check --fix .
	ruff format .
