import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Client } from '../../src/client/client.ts'
import { LOCAL_COMMANDS, REMOTE_COMMANDS } from '../../src/main/command-line.ts'
import { completions, wordTable } from '../../src/main/completions.ts'
import { heardContext } from '../support/cli.ts'

const NOBODY = new Client({ transport: () => Promise.reject(new Error('asked')), apiKey: '' })

test('completions know every command with its subcommands and flags, and ask no daemon', () => {
  const { context } = heardContext(NOBODY, { connect: () => Promise.reject(new Error('asked')) })
  const table = wordTable(context)
  for (const command of [...LOCAL_COMMANDS, ...REMOTE_COMMANDS, 'cli']) assert.ok(table.get('')?.includes(command), command)
  for (const command of REMOTE_COMMANDS) assert.ok(table.get(command)?.includes('--home'), command)
  assert.ok(table.get('folder')?.includes('add'))
  assert.ok(table.get('folder add')?.includes('--label'))
  assert.ok(table.get('cli')?.includes('config') && table.get('cli show')?.includes('pending'))
  assert.ok(table.get('debug')?.includes('reset-database'))
  assert.ok(!table.get('serve')?.includes('--verbose'), 'what the help hides is not offered')
  for (const words of table.values()) assert.equal(new Set(words).size, words.length)
  for (const shell of ['bash', 'zsh', 'fish']) assert.match(completions(context, shell, undefined), /folder add/)
})
