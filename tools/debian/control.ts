/** The texts of a Debian package: control data, changelog, scripts, and reasons for what lintian would complain of. */

/** What Debian calls the processors that Node names so. */
export const ARCHITECTURES = { x64: 'amd64', arm64: 'arm64' } as const
export type PackagedProcessor = keyof typeof ARCHITECTURES

/** Where everything of the package is that users do not start or read themselves. */
export const PROGRAM_DIRECTORY = 'usr/lib/twinfold'

/**
 * The libraries of Debian that Node and the native packages are linked with, and the oldest releases that have the
 * symbols they import (`readelf --version-info`, compared by the test): GLIBC_2.28, CXXABI_1.3.11, GCC_4.2.0.
 */
export const DEPENDS = ['libc6 (>= 2.28)', 'libgcc-s1 (>= 4.2)', 'libstdc++6 (>= 7)'] as const

/** The first build of a release. A pre-release is older than its release: Debian writes that as `~`. */
export function debianVersion(version: string): string {
  return `${version.replace('-', '~').replaceAll('-', '.')}-1`
}

interface ControlFacts {
  readonly version: string
  readonly processor: PackagedProcessor
  readonly maintainer: string
  readonly homepage: string
  readonly installedKib: number
}

export function controlText(facts: ControlFacts): string {
  return `Package: twinfold
Version: ${debianVersion(facts.version)}
Architecture: ${ARCHITECTURES[facts.processor]}
Maintainer: ${facts.maintainer}
Installed-Size: ${facts.installedKib}
Depends: ${DEPENDS.join(', ')}
Section: net
Priority: optional
Homepage: ${facts.homepage}
Description: continuous file synchronization, compatible with Syncthing
 Twinfold keeps folders in sync on many machines, directly between them and
 encrypted on the way. It uses the home directory, the configuration, the REST
 interface and the protocol of Syncthing, and replaces it in place: stop
 Syncthing, start Twinfold.
 .
 It is controlled by a web page or on the command line. Nothing is started by
 the installation: "systemctl --user enable --now twinfold" starts it with the
 login, "systemctl enable --now twinfold@NAME" with the machine.
`
}

interface ChangelogFacts {
  readonly version: string
  readonly maintainer: string
  readonly date: Date
}

export function changelogText({ version, maintainer, date }: ChangelogFacts): string {
  return `twinfold (${debianVersion(version)}) unstable; urgency=medium

  * Release ${version}. What changed is in changelog.gz.

 -- ${maintainer}  ${date.toUTCString().replace(/GMT$/, '+0000')}
`
}

const SCRIPT = `#!/bin/sh
# Homes, configurations and folders are never touched: they belong to users.
set -ef
[ -d /run/systemd/system ] && [ -z "$DPKG_ROOT" ] || exit 0

# At the service manager of the machine, and at that of every user who has one.
each_manager() {
  systemctl --system "$1" $2 >/dev/null 2>&1 || true
  systemctl --system --no-legend --plain list-units 'user@*.service' | sed -n 's/^user@\\([0-9]*\\)\\.service.*/\\1/p' |
    while read -r id; do systemctl --user --machine="$id@" "$1" $3 >/dev/null 2>&1 || true; done
}
`

/**
 * A daemon loads parts of the program while it runs, which an upgrade has replaced: those that run are restarted. Those
 * that run when the package is removed are stopped.
 */
export const SCRIPTS: Readonly<Record<string, string>> = {
  postinst: `${SCRIPT}
if [ "$1" = configure ]; then
  each_manager daemon-reload '' ''
  if [ -n "$2" ]; then each_manager try-restart 'twinfold@*.service' twinfold.service; fi
fi
`,
  postrm: `${SCRIPT}
if [ "$1" = remove ]; then each_manager daemon-reload '' ''; fi
`,
  prerm: `${SCRIPT}
if [ "$1" = remove ]; then each_manager stop 'twinfold@*.service' twinfold.service; fi
`,
}
