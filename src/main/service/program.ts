import { TwinfoldError } from '../../core/errors.ts'

/** Directories of package runners, which may empty them at any time. */
const RUNNER_DIRECTORY = /[\\/](_npx|dlx|dlx-[^\\/]*|bunx-[^\\/]*)[\\/]/

/** Refuses a temporary installation. */
export function refuseTemporaryProgram(script: string): void {
  if (!RUNNER_DIRECTORY.test(script)) return
  throw new TwinfoldError(
    'refused',
    `this Twinfold runs from the cache of a package runner (${script}), which may be emptied at any time; ` +
      'install it with "npm install -g twinfold" and run "twinfold service install"',
  )
}

/** The service manager would start it a few times, and give up. */
export function refuseMissingProgram({ exists }: { exists(path: string): boolean }, programs: readonly string[]): void {
  const missing = programs.find((path) => !exists(path))
  if (missing === undefined) return
  throw new TwinfoldError(
    'refused',
    `${missing} does not exist, so the service could not start; install Twinfold again and run ` +
      '"twinfold service install"',
  )
}

/** As a clone and the other packages have them; the command that npm installs cannot pass flags (decision 014). */
const NODE_FLAGS: readonly string[] = ['--max-semi-space-size=8', '--max-old-space-size=1536']

/** What a definition starts. A single file has the flags inside. */
export function programWords({ node, script }: { readonly node: string; readonly script: string }): readonly string[] {
  return isSingleFile({ node, script }) ? [node] : [node, ...NODE_FLAGS, script]
}

/** Whether the executable contains Node and the program. */
export function isSingleFile({ node, script }: { readonly node: string; readonly script: string }): boolean {
  return node === script
}

/** Homebrew keeps each version in its own directory, and a link that is stable across upgrades. */
export function lastingNodePath(path: string): string {
  return path.replace(/\/Cellar\/(node(?:@\d+)?)\/[^/]+\/bin\/node$/, '/opt/$1/bin/node')
}
