// @ts-check
// The size of the window, including scroll bars.
(function windowSize() {
  return { width: innerWidth, height: innerHeight };
})
