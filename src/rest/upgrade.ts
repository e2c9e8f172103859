import { BOOLEAN, TEXT, TIME, about, list, nullable, object, type Static } from './schema.ts'

/** Schemas of the two routes about newer releases. */

export const UPGRADE = object({
  latest: about(TEXT, 'The release to upgrade to, with a leading v.'),
  majorNewer: about(BOOLEAN, 'It is newer, and a new major version.'),
  newer: about(BOOLEAN, 'It is newer, within the same major version.'),
  running: about(TEXT, 'The running version, with a leading v.'),
})

export type UpgradeJson = Static<typeof UPGRADE>

export const UPGRADE_DETAILS = object({
  running: about(TEXT, 'The running version, with a leading v.'),
  checks: about(
    { enum: ['on', 'off', 'forbidden'] } as const,
    '`on`: the registry is queried every `autoUpgradeIntervalH` hours; `off`: it is 0; `forbidden`: by `--no-upgrade`.',
  ),
  source: about(nullable(TEXT), 'The address that is queried; null when the one in `releasesURL` cannot be used.'),
  checked: about(nullable(TIME), 'The time of the last query; null when there was none since the start.'),
  error: about(TEXT, 'The error of the last check; empty when it succeeded.'),
  latest: about(nullable(TEXT), 'The release to upgrade to, with a leading v; null while it is unknown.'),
  available: about(BOOLEAN, 'There is a newer release.'),
  major: about(BOOLEAN, 'The newer release is a new major version.'),
  changes: about(
    list(object({ version: about(TEXT, 'With a leading v.'), text: about(TEXT, 'Plain text of several lines.') })),
    'What changed in each newer release, the newest first, as far as the release notes list it.',
  ),
  installation: about(
    {
      enum: [
        'bun',
        'clone',
        'container',
        'debian',
        'homebrew',
        'npm',
        'npx',
        'pnpm',
        'project',
        'unknown',
        'volta',
        'yarn',
      ],
    } as const,
    'How this program was installed.',
  ),
  command: about(
    nullable(TEXT),
    'The command that upgrades this installation; null when the kind of installation is unknown.',
  ),
})

export type UpgradeDetailsJson = Static<typeof UPGRADE_DETAILS>
