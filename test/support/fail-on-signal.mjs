// Preloaded by a daemon of a test: SIGUSR2 makes an unhandled rejection, SIGWINCH throws out of a callback.
process.on('SIGUSR2', () => {
  Promise.reject(new Error('planted rejection'))
})
process.on('SIGWINCH', () => {
  setImmediate(() => {
    throw new TypeError('planted exception')
  })
})
