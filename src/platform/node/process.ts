import { readdirSync } from 'node:fs'
import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ProcessFigures, ProcessView, Profile, UnhandledFailure } from '../process.ts'

const unhandled = { rejection: 0, exception: 0 }
/** As for any other stop of the daemon. */
const END_MS_MAX = 10_000

export const nodeProcess: ProcessView = {
  figures,
  onUnhandled,
  profile: makeProfiler(),
}

function onUnhandled(listener: (failure: UnhandledFailure) => 'end' | 'go-on'): Disposable {
  const report = (kind: UnhandledFailure['kind']) => (error: unknown) => {
    unhandled[kind]++
    if (listener({ kind, error }) === 'end') setTimeout(() => process.exit(1), END_MS_MAX).unref()
  }
  const [onRejection, onException] = [report('rejection'), report('exception')]
  process.on('unhandledRejection', onRejection)
  process.on('uncaughtException', onException)
  return {
    [Symbol.dispose]: () => {
      process.off('unhandledRejection', onRejection)
      process.off('uncaughtException', onException)
    },
  }
}

function figures(): ProcessFigures {
  const { user, system } = process.cpuUsage()
  const { rss, heapUsed, heapTotal, external } = process.memoryUsage()
  const { active, idle } = performance.eventLoopUtilization()
  return {
    cpuS: (user + system) / 1_000_000,
    cpuSystemS: system / 1_000_000,
    residentBytes: rss,
    heapUsedBytes: heapUsed,
    heapTotalBytes: heapTotal,
    externalBytes: external,
    openFiles: openFiles(),
    loopBusyS: active / 1_000,
    loopIdleS: idle / 1_000,
    loopCount: performance.nodeTiming.uvMetricsInfo.loopCount,
    unhandledRejections: unhandled.rejection,
    unhandledExceptions: unhandled.exception,
  }
}

function openFiles(): number | undefined {
  try {
    return readdirSync('/proc/self/fd').length
  } catch {
    return undefined // no /proc
  }
}

function makeProfiler(): ProcessView['profile'] {
  let busy = false
  return async (kind, durationMs, signal) => {
    signal.throwIfAborted()
    if (busy) throw Object.assign(new Error('another profile is being taken'), { code: 'EBUSY' })
    busy = true
    try {
      // Loaded on demand. It connects to this process only and opens no port.
      const { Session } = await import('node:inspector/promises')
      const { cpuNodes, heapNodes } = await import('./profile-nodes.ts')
      const session = new Session()
      session.connect()
      try {
        const startedMs = performance.now()
        const pause = () => sleep(durationMs, undefined, { signal }).catch(() => signal.throwIfAborted())
        const nodes = await (kind === 'cpu' ? takeCpu() : takeHeap())
        return { kind, durationMs: performance.now() - startedMs, nodes }

        async function takeCpu(): Promise<Profile['nodes']> {
          await session.post('Profiler.enable')
          await session.post('Profiler.start')
          await pause()
          return cpuNodes((await session.post('Profiler.stop')).profile)
        }

        async function takeHeap(): Promise<Profile['nodes']> {
          await session.post('HeapProfiler.startSampling', {})
          await pause()
          return heapNodes((await session.post('HeapProfiler.stopSampling')).profile.head)
        }
      } finally {
        session.disconnect()
      }
    } finally {
      busy = false
    }
  }
}
