import { TwinfoldError } from '../../core/errors.ts'

/** Directories of package runners, which clean them up when they like. */
const RUNNER_DIRECTORY = /[\\/](_npx|dlx|dlx-[^\\/]*|bunx-[^\\/]*)[\\/]/

/** Refuses an installation that may be gone tomorrow. */
export function refuseTemporaryProgram(script: string): void {
  if (!RUNNER_DIRECTORY.test(script)) return
  throw new TwinfoldError(
    'bad-request',
    `this Twinfold runs from the cache of a package runner (${script}), which may be emptied at any time; ` +
      'install it with "npm install -g twinfold" and run "twinfold service install"',
  )
}

/** Homebrew keeps each version in a directory of its own and a link beside it that survives upgrades. */
export function lastingNodePath(path: string): string {
  return path.replace(/\/Cellar\/(node(?:@\d+)?)\/[^/]+\/bin\/node$/, '/opt/$1/bin/node')
}
