import { TwinfoldError } from '../../core/errors.ts'
import { nodePrograms } from '../../platform/node/programs.ts'
import { EXIT, type ExitCode } from '../args/options.ts'
import { findInstallation, singleFileTarget } from '../installation.ts'
import { singleFile } from '../single-file/executable.ts'
import { replaceExecutable } from '../single-file/replace.ts'

/** Replaces this executable by the one in an archive of a release, and keeps the old one. */
export async function installArchive(archive: string, print: (text: string) => void): Promise<ExitCode> {
  const executable = singleFile()
  const { kind } = findInstallation()
  if (executable === undefined || kind !== 'single-file') {
    throw new TwinfoldError(
      'usage',
      `--install is for a single-file executable, and this installation is of the kind "${kind}"; ` +
        '"twinfold upgrade" prints its command',
    )
  }
  const { version, kept } = await replaceExecutable(
    { executable, archive, target: singleFileTarget() },
    nodePrograms,
    new AbortController().signal, // an interrupt ends the process; the executable is replaced in one step
  )
  print(`${executable} is now ${version}. Restart Twinfold to run it.`)
  print(`The version before is kept as ${kept}; to return to it, rename it to ${executable}.`)
  return EXIT.success
}
