import { Socket } from 'node:net'

/** Names the descriptor of a socket whose other end only the launcher of a clone (`tools/run.mjs`) has open. */
const LAUNCHER_LINK = 'TWINFOLD_LAUNCHER_LINK'

/** Sends this process SIGTERM when the launcher has ended. A killed launcher cannot pass a signal on. */
export function endWithLauncher(environment: Record<string, string | undefined>): void {
  const descriptor = environment[LAUNCHER_LINK] ?? ''
  delete environment[LAUNCHER_LINK] // programs started from here do not have the descriptor
  if (!/^\d$/.test(descriptor)) return
  const link = new Socket({ fd: Number(descriptor) }).unref().resume()
  link.on('error', () => {}) // "close" follows
  link.once('close', () => process.kill(process.pid, 'SIGTERM'))
}
