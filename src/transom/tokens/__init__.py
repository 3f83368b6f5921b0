"""What a message weighs: counters, their cache, and how their error is learned. Pure: no I/O, no provider's client."""

from .bpe import bpe
from .cache import Weights
from .calibration import Calibration
from .chars import Chars, Custom
from .counter import Tokenizer
from .heuristic import Heuristic
from .weigh import weigh, weigh_batch, weigh_tools

__all__ = ["Calibration", "Chars", "Custom", "Heuristic", "Tokenizer", "Weights", "bpe", "weigh", "weigh_batch", "weigh_tools"]
