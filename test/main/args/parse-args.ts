import assert from 'node:assert/strict'
import { parseCommandLine, type ParsedCommand } from '../../../src/cli/args/parse.ts'
import type { Environment } from '../../../src/cli/args/flag-spec.ts'
import { COMMANDS } from '../../../src/main/commands/table.ts'
import { plainServeFlags, readServeRequest, type ServeRequest } from '../../../src/main/args/serve-options.ts'
export function parse(args: readonly string[], environment: Environment = {}): ParsedCommand {
  const parsed = parseCommandLine(COMMANDS, args, environment)
  return parsed.kind === 'run' ? parsed : assert.fail('help')
}

/** Read by commander, and without it, as the daemon does: both must agree. */
export function request(text: string, environment: Environment = {}): ServeRequest {
  const args = text.split(' ').filter(Boolean)
  const parsed = parse(args, environment)
  assert.equal(parsed.command.name, 'serve')
  const plain = plainServeFlags(args, environment) ?? assert.fail('not read as a plain start')
  assert.deepEqual(readServeRequest(plain, environment), readServeRequest(parsed.flags, environment))
  return readServeRequest(plain, environment)
}
