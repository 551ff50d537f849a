"""The offline model: pure functions from passages to a text made of their own lines and sentences."""

from summarizer_providers.extractive.summary import extract
from summarizer_providers.extractive.weights import WEIGHTS, Weights

__all__ = ["WEIGHTS", "Weights", "extract"]
