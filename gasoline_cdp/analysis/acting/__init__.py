"""The words of `act`: what a step may say, and which keys there are; pure."""
