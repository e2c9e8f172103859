import type { UnixOwner } from './platform-data.ts'

interface Names {
  readonly byId: ReadonlyMap<number, string>
  readonly byName: ReadonlyMap<string, number>
}

const LINE = /^([^:#+-][^:]*):[^:]*:(\d{1,10}):/
const ID_MAX = 0xffff_fffe

/** Names and numbers of the people and groups of this machine. What is not listed is known by its number alone. */
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

  /** Who the owner of a record is here: the one of that name, else the one of that number. */
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
    // Of several lines the first counts, as it does for the system.
    if (!byId.has(id)) byId.set(id, name)
    if (!byName.has(name)) byName.set(name, id)
  }
  return { byId, byName }
}
