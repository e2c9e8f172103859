import { FINDING_FLAGS, JSON_FLAG } from './args/shared-flags.ts'
import type { CommandSpec, RemoteHandler } from './args/types.ts'

const EXIT_CODES =
  '0 success, 1 error, 2 differences found by --check, 3 no daemon responds, ' +
  '4 success but some items could not be read, 130 interrupted'

/** A command that connects to the daemon: with the flags that find it, and `--json`. */
export function remoteCommand(spec: CommandSpec & { readonly remote: RemoteHandler }): CommandSpec {
  return {
    ...spec,
    flags: [...(spec.flags ?? []), JSON_FLAG, ...FINDING_FLAGS],
    sections: [...(spec.sections ?? []), ['Exit codes', EXIT_CODES]],
  }
}
