import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { manPage } from '../../../src/cli/args/man.ts'
import type { CommandSpec } from '../../../src/cli/args/types.ts'
import { treeCommands } from '../../../src/cli/tree.ts'
import { programManPage } from '../../../src/main/commands/man.ts'
import { COMMANDS, VARIABLES } from '../../../src/main/commands/table.ts'
import { withCommands } from '../../../tools/cli-list.ts'
import { missingProgram } from '../../support/debian.ts'

const page = programManPage()
/** As a reader sees it: without font changes and escapes. */
const plain = page.replace(/\\f[BIR]/g, '').replaceAll('\\-', '-')

function visit(
  commands: readonly CommandSpec[],
  before: string,
  onCommand: (command: CommandSpec, path: string) => void,
): void {
  for (const command of commands) {
    const path = `${before} ${command.name}`.trim()
    onCommand(command, path)
    visit(command.commands ?? [], path, onCommand)
  }
}

test('the man page has every command, flag, alias and environment variable of the table', () => {
  const lines = new Set(plain.split('\n'))
  const has = (pattern: string) => assert.match(plain, new RegExp(`^${pattern}`, 'm'))
  visit(COMMANDS, '', (command, path) => {
    const isGroup = command.commands !== undefined && command.local === undefined && command.remote === undefined
    if (!isGroup) has(`${path}( |$)`)
    for (const { name, aliases = [], short, value, onOff, env } of command.flags ?? []) {
      const follows = onOff === true ? ' [on|off]' : value === undefined ? '' : ` ${value}`
      has(`${short === undefined ? '' : `-${short}, `}--${name}${RegExp.escape(follows)}$`)
      for (const alias of aliases) assert.ok(lines.has(`--${alias}`), alias)
      if (env !== undefined) has(`(.*\\$)?${env}\\b`)
    }
  })
  visit(treeCommands(), 'cli', (command, path) => command.commands === undefined && has(`${path}( |$)`))
  for (const [name] of VARIABLES) assert.ok(lines.has(name), name)
})

/** The warnings of a program that reads the page from standard input. */
function lint(command: readonly string[], input: string): string {
  const { status, stdout, stderr, error } = spawnSync(command[0]!, command.slice(1), { input, encoding: 'utf8' })
  assert.equal(error, undefined)
  return status === 0 && command.includes('-z') ? stderr : `${stdout}${stderr}`
}

const MANDOC = ['mandoc', '-T', 'lint']
const GROFF = ['groff', '-ww', '-man', '-T', 'utf8', '-z']
/** Texts that roff would read as commands, were they not escaped. */
const NASTY: CommandSpec = {
  name: 'nasty',
  group: 'setup',
  summary: '.TH \'quoted\' \\n \\fBbold\\fR "double" ~ ^ - … long '.repeat(4),
  flags: [{ name: 'x', value: '\\*x', env: 'X', description: ".so /etc/passwd 'sp 9" }],
  examples: ["'\\e"],
}
const nasty = manPage({
  program: 'nasty',
  version: '1',
  date: '2026-11-15',
  commands: [NASTY],
  treeCommands: [],
  variables: [],
  sections: [],
})

test('mandoc reports no problem in the man page', { skip: missingProgram('mandoc', 'mandoc') ?? false }, () => {
  assert.equal(lint(MANDOC, page), '')
  assert.equal(lint(MANDOC, nasty), '')
  assert.notEqual(lint(MANDOC, `${page}.BOGUS\n`), '', 'a fault would be found')
})

test('groff reports no problem in the man page', { skip: missingProgram('groff', 'groff-base') ?? false }, () => {
  assert.equal(lint(GROFF, page), '')
  assert.equal(lint(GROFF, nasty), '')
  assert.notEqual(lint(GROFF, `${page}.BOGUS\n`), '', 'a fault would be found')
  const { stdout } = spawnSync('groff', ['-man', '-T', 'ascii', '-P-c'], { input: nasty, encoding: 'utf8' })
  for (const text of ['.TH', "'quoted'", '\\n \\fBbold\\fR', '"double"', '.so /etc/passwd'])
    // oxlint-disable-next-line no-control-regex
    assert.ok(stdout.replace(/.\x08/g, '').replace(/\s+/g, ' ').includes(text), text)
})

test('docs/cli.md lists the commands of the table', () => {
  const text = readFileSync(join(import.meta.dirname, '..', '..', '..', 'docs', 'cli.md'), 'utf8')
  assert.equal(text, withCommands(text), 'node tools/cli-list.ts writes the list anew')
  assert.match(text, /\n\| `folder add PATH /)
})
