import { realpath } from 'node:fs/promises'
import type { LocalCall } from '../../cli/args/types.ts'
import { escapeText } from '../../cli/text.ts'
import { readBounded, readConfig } from '../../config/config-file.ts'
import { OPTIONS } from '../../core/config/config-fields.ts'
import { defaultsOf } from '../../core/config/field.ts'
import type { OptionsConfig } from '../../core/config/config.ts'
import { isMissing, messageOf, TwinfoldError } from '../../core/errors.ts'
import { releaseSource } from '../../core/releases/release-source.ts'
import { upgradeDetailsJson } from '../../http/views/upgrade.ts'
import type { UpgradeDetailsJson } from '../../rest/upgrade.ts'
import { findRelease } from '../../upgrade/registry.ts'
import { nodeClock } from '../../platform/node/clock.ts'
import { nodeDisk } from '../../platform/node/disk/disk.ts'
import { nodeHttpClient } from '../../platform/node/net/http-client.ts'
import { nodeSystem } from '../../platform/node/system.ts'
import { locateHome } from '../home/home.ts'
import { findInstallation } from '../installation.ts'
import { EXIT, type ExitCode } from '../args/options.ts'
import { readDirectories, type DirectoryChoice } from '../args/serve-options.ts'
import { versionFacts } from '../version.ts'

/** Parsed like all switches in the environment. */
const NOT_SET = /^\s*(?:0|false|no|off)?\s*$/i

/**
 * Queries the registry, also while upgrade checks are off: the user requested it. Prints the newer release,
 * its changes and the upgrade command of this installation. Installs nothing. The exit code is 0 for a newer release,
 * 2 for none.
 */
export async function upgradeCommand({ flags, print, printError }: LocalCall): Promise<ExitCode> {
  if (!NOT_SET.test(nodeSystem.environment('STNOUPGRADE') ?? '')) {
    throw new TwinfoldError('upgrade-off', 'Checking for upgrade: upgrade unsupported, because STNOUPGRADE is set')
  }
  const archive = flags.text('install')
  if (archive !== undefined) return (await import('./upgrade-file.ts')).installArchive(archive, print)
  const from = flags.text('from')
  const { releasesURL, upgradeToPreReleases: preReleases } = await settingsOf(readDirectories(flags), from)
  const source = releaseSource(releasesURL)
  const running = versionFacts(nodeSystem, '').version.replace(/^v/, '')
  printError(`Checking ${source} for releases newer than v${running}`)
  const found = await findRelease(
    { http: nodeHttpClient, environment: (name) => nodeSystem.environment(name) },
    { source, running, preReleases },
    new AbortController().signal, // an interrupt ends the process
  ).catch((error: unknown) => {
    throw new TwinfoldError('upgrade-failed', `Checking for upgrade: ${messageOf(error)}`, { cause: error })
  })
  const installation = findInstallation()
  const details = upgradeDetailsJson({
    checks: 'on',
    running,
    source,
    release: found,
    checkedMs: nodeClock.nowMs(),
    error: '',
    installation: installation.kind,
    command: installation.upgradeCommand(found.version),
  })
  const lines = flags.isOn('json') ? [jsonText(details)] : textOf(details, flags.isOn('check-only'))
  for (const line of lines) print(line)
  return details.available ? EXIT.success : EXIT.noUpgrade
}

/** Whether the daemon checks for upgrades is not read here. */
function jsonText({ checks: _checks, ...details }: UpgradeDetailsJson): string {
  return JSON.stringify(details, undefined, 2)
}

/** The settings of the home, or the defaults without a configuration. */
async function settingsOf(directories: DirectoryChoice, from: string | undefined): Promise<OptionsConfig> {
  const defaults = defaultsOf(OPTIONS)
  const { configFile } = locateHome(directories)
  try {
    const data = await readBounded(nodeDisk, await realpath(configFile))
    const options = data === undefined ? defaults : readConfig(data, true).document.config.options
    return { ...options, releasesURL: from ?? options.releasesURL }
  } catch (error) {
    if (from !== undefined) return { ...defaults, releasesURL: from }
    if (isMissing(error)) return defaults
    const remedy = 'name the registry to ask with --from'
    throw new TwinfoldError('config-invalid', `${configFile} cannot be read: ${messageOf(error)}; ${remedy}`, {
      cause: error,
    })
  }
}

function textOf(details: UpgradeDetailsJson, checkOnly: boolean): readonly string[] {
  const { available, running, latest, major, changes, command, installation } = details
  if (!available) return [`No upgrade available: this is ${running}, the latest release is ${latest}`]
  const warning = major ? '. It is a new major version: read what changed' : ''
  const first = `Twinfold ${latest} is available, this is ${running}${warning}`
  if (checkOnly) return [first]
  const changed = changes.flatMap(({ version, text }) => [
    '',
    version,
    ...text.split('\n').map((line) => escapeText(`  ${line}`).trimEnd()),
  ])
  return [first, ...changed, '', ...commandLines(command, installation)]
}

function commandLines(command: string | null, installation: UpgradeDetailsJson['installation']): readonly string[] {
  if (command === null) return ['Install it the way this version was installed, then restart Twinfold.']
  if (installation === 'container') {
    return [
      'To upgrade with Docker Compose, run:',
      `  ${command}`,
      'Otherwise pull the new image and create the container again.',
    ]
  }
  if (installation === 'single-file') {
    return [
      'To upgrade, download the archive of the release and SHA256SUMS into one directory, and run there:',
      `  ${command}`,
      'Then restart Twinfold.',
    ]
  }
  if (installation === 'npx') return ['To upgrade, stop Twinfold and start it with:', `  ${command}`]
  return ['To upgrade, run:', `  ${command}`, 'Then restart Twinfold.']
}
