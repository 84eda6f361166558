// @ts-check
// The size of the window, its scroll bars included.
(function windowSize() {
  return { width: innerWidth, height: innerHeight };
})
