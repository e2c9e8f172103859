#!/usr/bin/env node
// Nothing is imported before the version check: an older Node cannot load the rest.
const NODE_MAJOR_MIN = 24

if (Number(process.versions.node.split('.')[0]) < NODE_MAJOR_MIN) {
  process.stderr.write(
    `twinfold: error: Node ${NODE_MAJOR_MIN} or newer is needed and this is Node ${process.versions.node}; ` +
      'install a current one from https://nodejs.org, or run "npm start" in a clone, which brings its own\n',
  )
  process.exitCode = 1
} else {
  // Set before the first use of the thread pool: fsync occupies a thread while it waits for the disk, and four threads
  // leave a disk idle.
  process.env['UV_THREADPOOL_SIZE'] ??= '64'
  const { useCompileCache } = await import('../platform/node/compile-cache.ts')
  useCompileCache(`${import.meta.dirname}/../..`, process.env)
  if (process.env['TWINFOLD_LAUNCHER_LINK'] !== undefined) {
    const { endWithLauncher } = await import('../platform/node/launcher-link.ts')
    endWithLauncher(process.env)
  }
  const { start } = await import('./start.ts')
  await start(process.argv.slice(2))
}
