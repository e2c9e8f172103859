import { messageOf, TwinfoldError } from '../core/errors.ts'
import { isJsonObject, type Json } from '../core/config/config-json.ts'
import { ClientError } from '../client/errors.ts'
import type { CommandSpec } from './args/types.ts'
import { explainFailure, type CliContext, type Connection } from './context.ts'
import { splitShellWords } from './shell-words.ts'
import { escapeText } from './text.ts'
import { walkTopics, type Topic } from './topic.ts'
import { treeTopics, type TreeDaemon } from './tree-topics.ts'

const { STATUS_CODES } = process.getBuiltinModule('node:http')

/** Exit codes of the `cli` tree, which scripts written for Syncthing check. */
const TREE_EXIT = { done: 0, failed: 1, unknownSetting: 3, interrupted: 130 } as const

const STDIN = '-'
const CONFIG = 'config'

/** Runs `cli …` as Syncthing's command line does. Never throws: errors are printed and in the exit code. */
export async function runTree(context: CliContext, args: readonly string[]): Promise<number> {
  let connection: Connection | undefined
  const connect = async () => (connection ??= await context.connect())
  const topics = treeTopics(context, treeDaemon(connect, context.signal))
  const describe = (error: unknown) => escapeLines(failureText(error, context.program, connection))
  if (args[0] === STDIN) return runLines(context, topics, args.slice(1), describe)
  try {
    return await runArgs(context, topics, args)
  } catch (error) {
    if (context.signal.aborted) return TREE_EXIT.interrupted
    context.printError(`${context.program}: error: ${describe(error)}`)
    return TREE_EXIT.failed
  }
}

/** The commands of the tree that do not depend on the daemon's configuration, for completions and the man page. */
export function treeCommands(): readonly CommandSpec[] {
  const unused = () => Promise.reject(new Error('no command is run'))
  return describeTopics(
    treeTopics({ readText: unused, writeNew: unused }, treeDaemon(unused, new AbortController().signal)),
  )
}

function describeTopics(topic: Topic): readonly CommandSpec[] {
  const verbs = [...topic.verbs].map(([name, { summary, takes }]) => ({
    name,
    summary,
    examples: [],
    ...(takes !== undefined && { arguments: [{ name: 'argument', text: takes }] }),
  }))
  const below = [...topic.topics].map(([name, { summary = '', open }]) => {
    const opened = name === CONFIG || name === STDIN ? undefined : open()
    const commands = opened === undefined || opened instanceof Promise ? [] : describeTopics(opened)
    return { name, summary, examples: [], ...(commands.length > 0 && { commands }) }
  })
  return [...verbs, ...below]
}

async function runArgs(context: CliContext, topics: Topic, args: readonly string[]): Promise<number> {
  const walked = await walkTopics(topics, args, `${context.program} cli`)
  if (walked.is === 'unknown') {
    if (args[0] !== CONFIG) throw new TwinfoldError('usage', `unexpected argument ${walked.arg}`)
    context.printError(`No help topic for '${escapeText(walked.arg)}'`)
    return TREE_EXIT.unknownSetting
  }
  // On a terminal a value is one line; elsewhere its line ends are kept.
  for (const line of walked.lines) context.print(context.interactive ? escapeText(line) : line)
  return TREE_EXIT.done
}

/** One command per line. An error of one command is printed, and the next one runs. */
async function runLines(
  context: CliContext,
  topics: Topic,
  args: readonly string[],
  describe: (error: unknown) => string,
): Promise<number> {
  context.print(`Reading commands from stdin... [${args.join(' ')}]`)
  for await (const line of context.inputLines()) {
    if (context.signal.aborted) return TREE_EXIT.interrupted
    try {
      const lineArgs = splitShellWords(line)
      if (lineArgs.length > 0) await runArgs(context, topics, lineArgs)
    } catch (error) {
      context.printError(`Error: ${describe(error)}`)
    }
  }
  return TREE_EXIT.done
}

function treeDaemon(connect: () => Promise<Connection>, signal: AbortSignal): TreeDaemon {
  const get: TreeDaemon['get'] = async (path, query = {}) => {
    const { client } = await connect()
    return parseReply(await client.request('GET', path, { query, signal }), path)
  }
  return {
    get,
    config: async () => {
      const config = await get('/rest/config')
      if (isJsonObject(config)) return config
      throw new ClientError('malformed', '/rest/config did not return an object')
    },
    download: async (path) => (await connect()).client.download(path, signal),
    send: async (method, path, more = {}) => {
      const { client } = await connect()
      await client.request(method, path, { ...more, signal })
    },
  }
}

function parseReply(text: string, path: string): Json {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new ClientError('malformed', `${path} did not return JSON: is it another program?`, { cause })
  }
}

/** The response body is printed below the status, as scripts expect. */
function failureText(error: unknown, program: string, connection: Connection | undefined): string {
  if (error instanceof ClientError && error.status !== 0) {
    const reason = STATUS_CODES[error.status] ?? ''
    return `unexpected HTTP status returned: ${`${error.status} ${reason}`.trim()}\n${error.text}`.trimEnd()
  }
  if (error instanceof ClientError) return explainFailure(error, program, connection).message
  return error instanceof TwinfoldError ? error.message : messageOf(error)
}

function escapeLines(text: string): string {
  return text.split('\n').map(escapeText).join('\n')
}
