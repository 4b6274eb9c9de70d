"""Is classifier A really better than B, or was it the split?"""

__version__ = "0.1.0"
