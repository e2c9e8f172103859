import { padText } from './text.ts'

/** One action. Resolves to the lines to print: none for a change. */
export interface Verb {
  readonly summary: string
  /** The arguments after the verb, as help shows them. */
  readonly takes?: string
  run(args: readonly string[]): Promise<readonly string[]> | readonly string[]
}

/** A node of the command tree: its actions and its children. */
export interface Topic {
  readonly summary: string
  readonly verbs: ReadonlyMap<string, Verb>
  /** The title of the list of children in the help. */
  readonly title: string
  readonly topics: ReadonlyMap<string, SubTopic>
  /** Other names of children, which are not listed. */
  readonly names?: ReadonlyMap<string, string>
  readonly examples?: readonly string[]
}

/** A child, loaded on demand. */
export interface SubTopic {
  readonly summary?: string
  open(): Topic | Promise<Topic>
}

const HELP = ['--help', '-h', '-help', 'help']

export type TopicResult =
  | { readonly is: 'done'; readonly lines: readonly string[] }
  | { readonly is: 'unknown'; readonly arg: string }

/** Follows the arguments down the tree and runs the action they name. Without a verb it prints help. */
export async function walkTopics(root: Topic, args: readonly string[], path: string): Promise<TopicResult> {
  let topic = root
  for (let index = 0; ; index++) {
    const arg = args[index]
    const here = [path, ...args.slice(0, index)].join(' ')
    if (arg === undefined || (HELP.includes(arg) && !topic.topics.has(arg))) {
      return { is: 'done', lines: topicHelp(topic, here) }
    }
    const verb = topic.verbs.get(arg)
    if (verb !== undefined) {
      const rest = args.slice(index + 1)
      if (rest.length === 1 && HELP.includes(rest[0]!) && rest[0] !== 'help') {
        return { is: 'done', lines: verbHelp(verb, `${here} ${arg}`) }
      }
      return { is: 'done', lines: await verb.run(rest) }
    }
    const named = topic.names?.get(arg)
    const below = topic.topics.get(arg) ?? (named === undefined ? undefined : topic.topics.get(named))
    if (below === undefined) return { is: 'unknown', arg }
    topic = await below.open()
  }
}

function verbHelp(verb: Verb, path: string): string[] {
  return [`Usage: ${path}${verb.takes === undefined ? '' : ` ${verb.takes}`}`, '', verb.summary]
}

function topicHelp(topic: Topic, path: string): string[] {
  const verbs = [...topic.verbs].map(([arg, verb]) => [arg, verb.summary] as const)
  const below = [...topic.topics].map(([arg, { summary }]) => [arg, summary ?? ''] as const)
  const examples = (topic.examples ?? []).map((example) => `  ${path} ${example}`)
  return [
    `Usage: ${path} COMMAND`,
    ...section('', topic.summary === '' ? [] : [topic.summary]),
    ...section('Commands:', columns(verbs)),
    ...section(`${topic.title}:`, columns(below)),
    ...section('Example:', examples),
    '',
    `"${path} COMMAND --help" describes one command.`,
  ]
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : ['', ...(title === '' ? [] : [title]), ...lines]
}

function columns(rows: readonly (readonly [arg: string, summary: string])[]): readonly string[] {
  const width = rows.reduce((most, [arg]) => Math.max(most, arg.length), 0) + 2
  return rows.map(([arg, summary]) => `  ${padText(arg, width)}${summary}`.trimEnd())
}
