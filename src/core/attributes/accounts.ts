import type { UnixOwner } from './platform-data.ts'

interface Names {
  readonly byId: ReadonlyMap<number, string>
  readonly byName: ReadonlyMap<string, number>
}

const LINE = /^([^:#+-][^:]*):[^:]*:(\d{1,10}):/
const ID_MAX = 0xffff_fffe

/** Names and ids of the users and groups of this machine. Unlisted ones have only an id. */
export class Accounts {
  readonly #users: Names
  readonly #groups: Names

  /** The texts of `/etc/passwd` and `/etc/group`; empty where there are none. */
  constructor(passwd: string, group: string) {
    this.#users = namesIn(passwd)
    this.#groups = namesIn(group)
  }

  ownerOf(userId: number, groupId: number): UnixOwner {
    return {
      ownerName: this.#users.byId.get(userId) ?? '',
      groupName: this.#groups.byId.get(groupId) ?? '',
      userId,
      groupId,
    }
  }

  /** The local owner for a record: the account of that name, else that of the id. */
  idsOf({ ownerName, groupName, userId, groupId }: UnixOwner): { readonly userId: number; readonly groupId: number } {
    return {
      userId: this.#users.byName.get(ownerName) ?? userId,
      groupId: this.#groups.byName.get(groupName) ?? groupId,
    }
  }
}

function namesIn(text: string): Names {
  const byId = new Map<number, string>()
  const byName = new Map<string, number>()
  for (const line of text.split('\n')) {
    const [, name, digits] = LINE.exec(line) ?? []
    const id = Number(digits)
    if (name === undefined || id > ID_MAX) continue
    // Of several lines for one name the first counts, as in the system.
    if (!byId.has(id)) byId.set(id, name)
    if (!byName.has(name)) byName.set(name, id)
  }
  return { byId, byName }
}
