import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { messageOf } from '../../core/errors.ts'
import type { ProgramEnd, ProgramRun, Programs } from '../programs.ts'

const OUTPUT_LENGTH_MAX = 4_096

export const nodePrograms: Programs = {
  async run(run, signal) {
    // Loaded on first use: few folders run a program.
    const { spawn } = await import('node:child_process')
    const environment = { ...process.env, ...run.environment }
    for (const name of run.hidden) delete environment[name]
    try {
      const child = spawn(run.program, run.args, {
        env: environment,
        shell: false,
        windowsHide: true,
        detached: process.platform !== 'win32',
      })
      return await ended(child, run, signal)
    } catch (error) {
      return { kind: 'not-started', reason: messageOf(error) }
    }
  },
}

function ended(child: ChildProcessWithoutNullStreams, run: ProgramRun, signal: AbortSignal): Promise<ProgramEnd> {
  const { promise, resolve } = Promise.withResolvers<ProgramEnd>()
  let output = ''
  let reason: string | undefined
  const end = (why: string): void => {
    reason ??= why
    kill(child)
  }
  const onAbort = (): void => end('we are stopping')
  const timer = setTimeout(() => end(`it took longer than ${run.timeLimitMs / 1_000} s`), run.timeLimitMs)
  signal.addEventListener('abort', onAbort, { once: true })
  const collect = (data: Buffer): void => {
    if (output.length < OUTPUT_LENGTH_MAX) output = (output + data.toString()).slice(0, OUTPUT_LENGTH_MAX)
  }
  child.stdin.on('error', () => {}) // a program that does not read may end before the pipe is closed
  child.stdin.end()
  child.stdout.on('data', collect)
  child.stderr.on('data', collect)
  child.on('error', (error) => resolve({ kind: 'not-started', reason: error.message }))
  child.on('close', (code, deathSignal) => {
    if (reason === undefined && code !== null) resolve({ kind: 'exited', code, output })
    else resolve({ kind: 'killed', reason: reason ?? `signal ${deathSignal ?? 'unknown'}`, output })
  })
  if (signal.aborted) onAbort()
  return promise.finally(() => {
    clearTimeout(timer)
    signal.removeEventListener('abort', onAbort)
  })
}

/** Kills the process group: a descendant that keeps the pipes open would block the result. */
function kill(child: ChildProcessWithoutNullStreams): void {
  try {
    if (process.platform === 'win32' || child.pid === undefined) child.kill('SIGKILL')
    else process.kill(-child.pid, 'SIGKILL')
  } catch {
    // Already ended.
  }
}
