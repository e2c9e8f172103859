/** When the page shows a newer release, and the further steps. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { upgradeNotice } from '../../gui/view-model/upgrade.ts'
import type { UpgradeDetailsJson } from '../../src/rest/upgrade.ts'

const DETAILS: UpgradeDetailsJson = {
  running: 'v1.0.0',
  checks: 'on',
  source: 'https://npm.example/twinfold',
  checked: null,
  error: '',
  latest: 'v1.1.0',
  available: true,
  major: false,
  changes: [
    { version: 'v1.1.0', text: 'Better' },
    { version: 'v1.0.1', text: '' },
  ],
  installation: 'npm',
  command: 'npm install -g twinfold@1.1.0',
}

test('a newer release is shown with its changes and the command', () => {
  assert.deepEqual(upgradeNotice(DETAILS, 'v1.0.5'), {
    latest: 'v1.1.0',
    running: 'v1.0.0',
    major: false,
    changes: [{ version: 'v1.1.0', text: 'Better' }],
    command: 'npm install -g twinfold@1.1.0',
    nextStep: 'restart',
  })
})

const SILENT: [why: string, details: UpgradeDetailsJson | undefined, dismissed: string][] = [
  ['nothing is known yet', undefined, ''],
  ['nothing is newer', { ...DETAILS, latest: 'v1.0.0', available: false }, ''],
  ['the version was dismissed', DETAILS, 'v1.1.0'],
]
for (const [why, details, dismissed] of SILENT) {
  test(`no notice when ${why}`, () => assert.equal(upgradeNotice(details, dismissed), undefined))
}

const STEPS: [details: Partial<UpgradeDetailsJson>, step: string][] = [
  [{ installation: 'container' }, 'container'],
  [{ installation: 'npx' }, 'npx'],
  [{ installation: 'single-file' }, 'single-file'],
  [{ installation: 'clone' }, 'restart'],
  [{ installation: 'unknown', command: null }, 'unknown'],
]
for (const [details, step] of STEPS) {
  test(`installed as ${details.installation}: ${step}`, () =>
    assert.equal(upgradeNotice({ ...DETAILS, ...details }, '')?.nextStep, step))
}
