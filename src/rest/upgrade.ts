import { BOOLEAN, TEXT, TIME, about, list, nullable, object, type Static } from './schema.ts'

/** Shapes of the two routes about newer releases. */

export const UPGRADE = object({
  latest: about(TEXT, 'The release to upgrade to, with a leading v.'),
  majorNewer: about(BOOLEAN, 'It is newer, and a new major version.'),
  newer: about(BOOLEAN, 'It is newer, within the same major version.'),
  running: about(TEXT, 'The version that answers, with a leading v.'),
})

export type UpgradeJson = Static<typeof UPGRADE>

export const UPGRADE_DETAILS = object({
  running: about(TEXT, 'The version that answers, with a leading v.'),
  checks: about(
    { enum: ['on', 'off', 'forbidden'] } as const,
    '`on`: the registry is asked every `autoUpgradeIntervalH` hours; `off`: that is 0; `forbidden`: by `--no-upgrade`.',
  ),
  source: about(nullable(TEXT), 'The address that is asked; null when the one in `releasesURL` cannot be used.'),
  checked: about(nullable(TIME), 'When it was asked last; null when it was not since the start.'),
  error: about(TEXT, 'Why the last check failed; empty when it did not.'),
  latest: about(nullable(TEXT), 'The release to upgrade to, with a leading v; null while it is not known.'),
  available: about(BOOLEAN, 'There is a newer release.'),
  major: about(BOOLEAN, 'The newer release is a new major version.'),
  changes: about(
    list(object({ version: about(TEXT, 'With a leading v.'), text: about(TEXT, 'Plain text of several lines.') })),
    'What changed in each newer release, the newest first, as far as the release says it.',
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
  command: about(nullable(TEXT), 'The command that upgrades this installation; null when it is not known how.'),
})

export type UpgradeDetailsJson = Static<typeof UPGRADE_DETAILS>
