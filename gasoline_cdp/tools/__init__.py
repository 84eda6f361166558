"""The tools, each defined once and served alike by every frontend."""
