import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { required, withInstallLock } from './debian.ts'
import { installLocked } from '../../tools/locked-packages.ts'

const root = join(import.meta.dirname, '..', '..')
const from = join(root, 'tools', 'node-next')
const to = join(root, 'node_modules', '.cache', 'twinfold-test', 'node-next')

/** The next major version of Node, as locked. */
export const NEXT_NODE = join(to, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin', 'node')

/** What is missing to run it here, or undefined. Installs it where we may; throws under CI=true. */
export function missingNextNode(): string | undefined {
  let reason: string | undefined = 'another process installs packages and does not end'
  withInstallLock(() => (reason = installLocked({ from, to })))
  if (reason === undefined && !existsSync(NEXT_NODE)) reason = `there is no package of it: ${NEXT_NODE}`
  return reason === undefined ? undefined : required(reason)
}
