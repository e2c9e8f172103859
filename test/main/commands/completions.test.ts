import assert from 'node:assert/strict'
import { test } from 'node:test'
import { completionScript, flagValues, SHELLS, wordTable } from '../../../src/cli/completions.ts'
import { treeCommands } from '../../../src/cli/tree.ts'
import { COMMANDS } from '../../../src/main/commands/table.ts'

test('completions have every command with its subcommands and flags', () => {
  const full = wordTable(COMMANDS, treeCommands())
  const table = new Map([...full].map(([place, { words }]) => [place, words]))
  for (const { name, hidden } of COMMANDS) assert.equal(table.get('')?.includes(name), !hidden, name)
  for (const { name, remote } of COMMANDS)
    if (remote !== undefined && table.has(name)) assert.ok(table.get(name)?.includes('--home'), name)
  assert.ok(table.get('folder')?.includes('add'))
  assert.ok(table.get('folder add')?.includes('--label'))
  assert.ok(table.get('cli')?.includes('config') && table.get('cli show')?.includes('pending'))
  assert.ok(table.get('debug')?.includes('reset-database'))
  assert.ok(table.get('install-completions')?.includes('fish'))
  assert.ok(!table.get('serve')?.includes('--verbose'), 'what the help hides is not offered')
  assert.deepEqual(full.get('folder share')?.names?.slice(0, 3), ['folders', 'devices', 'devices'])
  assert.deepEqual([flagValues(COMMANDS).get('--device'), flagValues(COMMANDS).has('--json')], ['devices', false])
  for (const args of table.values()) assert.equal(new Set(args).size, args.length)
  for (const shell of SHELLS)
    assert.match(completionScript(shell, 'twinfold', full, flagValues(COMMANDS)), /folder add/)
})
