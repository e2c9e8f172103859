/** A platform that a release has an executable for. */
export type SingleFileTarget = `${'linux' | 'win'}-${string}`

/** Facts about the installation of the program on this machine. */
export interface InstallationFacts {
  /** The directory that holds our `package.json`, without symlinks. */
  readonly directory: string
  /** The executable that contains Node and the program, which unpacks the directory. */
  readonly singleFile?: { readonly path: string; readonly target: SingleFileTarget }
  readonly platform: string
  readonly container: boolean
  /** The container was created from our own image. In other containers the program may be installed by npm. */
  readonly image: boolean
  /** It is a git clone: it contains `.git`. */
  readonly clone: boolean
  /** The Debian package that owns the directory. */
  readonly debianPackage?: string
  /** The directory above `node_modules` has a `package.json`: the program is a dependency of a project. */
  readonly project: boolean
  /** Installation prefix of the running Node; its npm installs global packages there unless configured otherwise. */
  readonly nodePrefix: string
  /** Whether the directory is writable; otherwise the upgrade command needs more privileges. */
  readonly writable: boolean
}

export type InstallationKind =
  | 'bun'
  | 'clone'
  | 'container'
  | 'debian'
  | 'homebrew'
  | 'npm'
  | 'npx'
  | 'pnpm'
  | 'project'
  | 'single-file'
  | 'unknown'
  | 'volta'
  | 'yarn'

/** The version is that of a release, which is safe in a command line. Undefined when the method is unknown. */
export interface Installation {
  readonly kind: InstallationKind
  upgradeCommand(version: string): string | undefined
}

/** Directories that identify the installer; the first match counts. */
const BY_DIRECTORY: readonly (readonly [part: RegExp, kind: InstallationKind])[] = [
  [/\/_npx\//, 'npx'],
  [/\/pnpm\/(?:.*\/)?global\//, 'pnpm'],
  [/\/\.bun\/install\/global\//, 'bun'],
  [/\/yarn\/(?:.*\/)?global\//i, 'yarn'],
  [/\/\.volta\/tools\//, 'volta'],
  [/\/Cellar\//, 'homebrew'],
]

/** Determines how the program was installed, and so which command upgrades it. */
export function installationOf(facts: InstallationFacts): Installation {
  const kind = kindOf(facts)
  return { kind, upgradeCommand: (version) => commandOf(kind, facts, version) }
}

function kindOf(facts: InstallationFacts): InstallationKind {
  const directory = facts.directory.replaceAll('\\', '/')
  if (facts.clone) return 'clone'
  if (facts.debianPackage !== undefined) return 'debian'
  if (facts.image) return 'container'
  if (facts.singleFile !== undefined) return 'single-file'
  const match = BY_DIRECTORY.find(([part]) => part.test(directory))
  if (match !== undefined) return match[1]
  if (!/\/node_modules\/[^/]+$/.test(directory)) return facts.container ? 'container' : 'unknown'
  return facts.project ? 'project' : 'npm'
}

function commandOf(kind: InstallationKind, facts: InstallationFacts, version: string): string | undefined {
  const wanted = `twinfold@${version}`
  switch (kind) {
    case 'clone':
      return `git -C ${quoted(facts.directory, facts)} pull --ff-only`
    case 'debian':
      return `sudo apt-get update && sudo apt-get install --only-upgrade ${facts.debianPackage ?? 'twinfold'}`
    case 'container':
      return 'docker compose pull && docker compose up -d'
    case 'npx':
      return `npx ${wanted}`
    case 'pnpm':
      return `pnpm add -g ${wanted}`
    case 'bun':
      return `bun add -g ${wanted}`
    case 'yarn':
      return `yarn global add ${wanted}`
    case 'volta':
      return `volta install ${wanted}`
    case 'homebrew':
      return 'brew upgrade twinfold'
    case 'project':
      return `npm install --prefix ${quoted(prefixOf(facts), facts)} ${wanted}`
    case 'npm':
      return globalNpm(facts, wanted)
    case 'single-file':
      return replaceFile(facts, version)
    case 'unknown':
      return undefined
  }
}

/** The archive of an executable among the files of a release. */
export function singleFileArchive(version: string, target: SingleFileTarget): string {
  return `twinfold-${version}-${target}.${target.startsWith('win-') ? 'zip' : 'tar.xz'}`
}

/** Run where the archive and its checksums are. */
function replaceFile(facts: InstallationFacts, version: string): string | undefined {
  if (facts.singleFile === undefined) return undefined
  const { path, target } = facts.singleFile
  return `${sudoFor(facts)}${quoted(path, facts)} upgrade --install ${singleFileArchive(version, target)}`
}

function sudoFor({ writable, platform }: InstallationFacts): string {
  return writable || platform === 'win32' ? '' : 'sudo '
}

/** With the prefix where npm would install elsewhere: otherwise a second copy would be installed and this one kept. */
function globalNpm(facts: InstallationFacts, wanted: string): string {
  const prefix = prefixOf(facts)
  const where = prefix === facts.nodePrefix ? '' : ` --prefix ${quoted(prefix, facts)}`
  return `${sudoFor(facts)}npm install -g${where} ${wanted}`
}

/** The npm prefix: the directory with `lib/node_modules`, on Windows and in projects with `node_modules`. */
function prefixOf({ directory, platform, project }: InstallationFacts): string {
  const above = directory.replace(/[\\/]node_modules[\\/][^\\/]+$/, '')
  return platform === 'win32' || project ? above : above.replace(/\/lib$/, '')
}

/** Quoted for the usual shell of that system. */
function quoted(path: string, { platform }: InstallationFacts): string {
  if (/^[\w@%+=:,./\\-]+$/.test(path) && (platform === 'win32' || !path.includes('\\'))) return path
  return platform === 'win32' ? `"${path}"` : `'${path.replaceAll("'", "'\\''")}'`
}
