"""This project beside other products: ``python -m benchmarks.peers``."""
