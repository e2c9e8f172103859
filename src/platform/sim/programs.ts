import type { ProgramEnd, ProgramRun, Programs } from '../programs.ts'

/** A machine without programs; a test may add one. */
export class SimPrograms implements Programs {
  readonly runs: ProgramRun[] = []
  act: (run: ProgramRun, signal: AbortSignal) => Promise<ProgramEnd> = async ({ program }) => ({
    kind: 'not-started',
    reason: `spawn ${program} ENOENT`,
  })

  async run(run: ProgramRun, signal: AbortSignal): Promise<ProgramEnd> {
    this.runs.push(run)
    return await this.act(run, signal)
  }
}
