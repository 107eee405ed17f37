"""From a question to the memories that answer it. Reads only; a model that fails degrades the answer."""
