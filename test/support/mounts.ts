import { spawnSync } from 'node:child_process'

/**
 * What is missing to give a daemon a small disk of its own, or undefined. Under CI=true something missing is a failure.
 */
export function missingMounts(): string | undefined {
  const result = spawnSync('unshare', ['-m', 'sh', '-c', 'mount -t tmpfs none /mnt'], {
    stdio: 'ignore',
    timeout: 60_000,
  })
  if (result.status === 0) return undefined
  const reason = 'mount namespaces with a tmpfs (unshare -m, mount) cannot be used here'
  if (process.env['CI'] === 'true') throw new Error(reason)
  console.error(`\n*** SKIPPING: ${reason}\n`)
  return reason
}
