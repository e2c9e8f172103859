import { BOOLEAN, TEXT, TIME, described, list, nullable, object, type Static } from './schema.ts'

/** Schemas of the two routes about newer releases. */

export const UPGRADE = object({
  latest: described(TEXT, 'The release to upgrade to, with a leading v.'),
  majorNewer: described(BOOLEAN, 'It is newer, and a new major version.'),
  newer: described(BOOLEAN, 'It is newer, within the same major version.'),
  running: described(TEXT, 'The running version, with a leading v.'),
})

export type UpgradeJson = Static<typeof UPGRADE>

export const UPGRADE_DETAILS = object({
  running: described(TEXT, 'The running version, with a leading v.'),
  checks: described(
    { enum: ['on', 'off', 'forbidden'] } as const,
    '`on`: the registry is queried every `autoUpgradeIntervalH` hours; `off`: it is 0; `forbidden`: by `--no-upgrade`.',
  ),
  source: described(nullable(TEXT), 'The address that is queried; null when the one in `releasesURL` cannot be used.'),
  checked: described(nullable(TIME), 'The time of the last query; null when there was none since the start.'),
  error: described(TEXT, 'The error of the last check; empty when it succeeded.'),
  latest: described(nullable(TEXT), 'The release to upgrade to, with a leading v; null while it is unknown.'),
  available: described(BOOLEAN, 'There is a newer release.'),
  major: described(BOOLEAN, 'The newer release is a new major version.'),
  changes: described(
    list(
      object({ version: described(TEXT, 'With a leading v.'), text: described(TEXT, 'Plain text of several lines.') }),
    ),
    'What changed in each newer release, the newest first, as far as the release notes list it.',
  ),
  installation: described(
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
        'single-file',
        'unknown',
        'volta',
        'yarn',
      ],
    } as const,
    'How this program was installed.',
  ),
  command: described(
    nullable(TEXT),
    'The command that upgrades this installation; null when the kind of installation is unknown.',
  ),
})

export type UpgradeDetailsJson = Static<typeof UPGRADE_DETAILS>
