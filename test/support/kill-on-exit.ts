import type { ChildProcess } from 'node:child_process'

const children = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of children) child.kill('SIGKILL')
})

/** A test that is cut short leaves no process behind. */
export function killOnExit(child: ChildProcess): void {
  children.add(child)
  child.once('exit', () => children.delete(child))
}
