import { spawnSync } from 'node:child_process'

/**
 * Arguments that, before a command, run it in a network namespace with nothing but the loopback interface:
 * what is started in there can neither reach nor be reached by anything else.
 */
export function loopbackOnly(): readonly string[] {
  const flags = process.getuid?.() === 0 ? '-n' : '-rn'
  return ['unshare', flags, 'sh', '-c', 'ip link set lo up && exec "$@"', 'loopback-only']
}

/** What is missing for `loopbackOnly` to work here, or undefined. Under CI=true something missing is a failure. */
export function missingNamespaces(): string | undefined {
  const [program, ...args] = loopbackOnly()
  const result = spawnSync(program!, [...args, 'true'], { stdio: 'ignore', timeout: 60_000 })
  if (result.status === 0) return undefined
  const reason = 'network namespaces (unshare -n, ip) cannot be used here'
  if (process.env['CI'] === 'true') throw new Error(reason)
  console.error(`\n*** SKIPPING: ${reason}\n`)
  return reason
}
