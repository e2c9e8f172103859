import type { HeapProfiler, Profiler, Runtime } from 'node:inspector'
import type { ProfileNode } from '../process.ts'

/** The tree of a CPU profile, callers first, with the time of each frame. */
export function cpuNodes(profile: Profiler.Profile): readonly ProfileNode[] {
  const byId = new Map(profile.nodes.map((node) => [node.id, node]))
  const elapsedUs = new Map<number, number>()
  for (const [i, id] of (profile.samples ?? []).entries()) {
    elapsedUs.set(id, (elapsedUs.get(id) ?? 0) + Math.max(0, profile.timeDeltas?.[i] ?? 0))
  }
  const nodes: ProfileNode[] = []
  const called = new Set(profile.nodes.flatMap(({ children }) => children ?? []))
  const waiting = profile.nodes.filter(({ id }) => !called.has(id)).map((node) => ({ node, parent: noIndex() }))
  for (let at = waiting.shift(); at !== undefined; at = waiting.shift()) {
    const index = nodes.length
    const { id, callFrame, hitCount = 0, children = [] } = at.node
    nodes.push({
      ...placeOf(callFrame),
      parent: at.parent,
      count: hitCount,
      amount: elapsedUs.get(id) ?? 0,
    })
    for (const child of children) {
      const node = byId.get(child)
      if (node !== undefined) waiting.push({ node, parent: index })
    }
  }
  return nodes
}

/** The tree of a heap profile, callers first, with the bytes that each frame allocated and that are still in use. */
export function heapNodes(head: HeapProfiler.SamplingHeapProfileNode): readonly ProfileNode[] {
  const nodes: ProfileNode[] = []
  const waiting = [{ node: head, parent: noIndex() }]
  for (let at = waiting.shift(); at !== undefined; at = waiting.shift()) {
    const index = nodes.length
    const { callFrame, selfSize, children } = at.node
    nodes.push({
      ...placeOf(callFrame),
      parent: at.parent,
      count: selfSize > 0 ? 1 : 0,
      amount: selfSize,
    })
    for (const node of children) waiting.push({ node, parent: index })
  }
  return nodes
}

function noIndex(): number | undefined {
  return undefined
}

/** Line numbers start at 1 for users, at 0 in the engine. */
function placeOf({ functionName, url, lineNumber }: Runtime.CallFrame): Pick<ProfileNode, 'name' | 'file' | 'line'> {
  return {
    name: functionName === '' ? '(anonymous)' : functionName,
    file: url,
    line: Math.max(0, lineNumber + 1),
  }
}
