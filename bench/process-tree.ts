import { readdirSync, readFileSync } from 'node:fs'

/** Clock ticks per second in /proc, the same on every Linux that runs Node. */
const TICKS_PER_S = 100

/** A process and all its descendants. */
function tree(pid: number): number[] {
  const children: number[] = []
  for (const task of safely(() => readdirSync(`/proc/${pid}/task`)) ?? []) {
    const text = safely(() => readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8')) ?? ''
    children.push(...text.split(' ').filter(Boolean).map(Number))
  }
  return [pid, ...children.flatMap(tree)]
}

/** CPU seconds, user and system, spent so far by the process, its descendants and those that ended. */
export function cpuSeconds(pid: number): number {
  let ticks = 0
  for (const each of tree(pid)) {
    const stat = safely(() => readFileSync(`/proc/${each}/stat`, 'utf8')) ?? ''
    // The name in parentheses may hold anything; the figures come after the last one.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    for (const field of fields.slice(11, 15)) ticks += Number(field)
  }
  return ticks / TICKS_PER_S
}

/** Resident memory of the whole tree in MiB: the highest it ever was, and now. */
export function memoryMib(pid: number): { readonly peak: number; readonly now: number } {
  let peak = 0
  let now = 0
  for (const each of tree(pid)) {
    const status = safely(() => readFileSync(`/proc/${each}/status`, 'utf8')) ?? ''
    peak += Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024
    now += Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024
  }
  return { peak, now }
}

/** A process may end between being listed and being read. */
function safely<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}
