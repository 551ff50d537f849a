"""One module a product: ``compact(job)`` uses it as its documentation says."""
