import { runAction } from '../../app/run-action.ts'
import { addressOf } from '../../base/address.ts'
import type { AttentionEntry, AttentionMember, Remedy } from '../../view-model/attention-entry.ts'
import { attentionEntries } from '../../view-model/attention.ts'
import { client } from '../../live/client.ts'
import { reloadParts, useLive } from '../../live/live.ts'
import { Button } from '../../ui/button.tsx'
import { EmptyNote, StateLabel } from '../../ui/parts.tsx'
import { t } from '../../i18n/texts.ts'
import { GuardButtons } from './guard-buttons.tsx'
import { RemedyActions } from './remedy-actions.tsx'
import { PendingRequests } from '../overview/pending-requests.tsx'

const MEMBERS_MAX = 8

/** Everything that needs the user, by cause, each with its remedy. An entry is gone when its cause is. */
export function AttentionPage() {
  const entries = attentionEntries(useLive((state) => state))
  return (
    <>
      <header class="page-head">
        <h1>{t('nav.attention')}</h1>
      </header>
      <PendingRequests />
      {entries.length === 0 ? (
        <EmptyNote>{t('attention.none')}</EmptyNote>
      ) : (
        <ul class="rows attention">
          {entries
            .filter(({ id }) => id !== 'requests all') // shown above with their own buttons
            .map((entry) => (
              <Entry key={entry.id} entry={entry} />
            ))}
        </ul>
      )}
    </>
  )
}

function Entry({ entry: { tone, title, advice, members, remedy } }: { readonly entry: AttentionEntry }) {
  const own = members.filter((member) => member.remedy !== undefined && hasOwnRemedy(member.remedy))
  const others = members.filter((member) => !own.includes(member))
  const isExplained = members.length > 0 && others.length === 0 // the general advice would only repeat it
  return (
    <li class="attention-entry">
      <div>
        <StateLabel tone={tone}>{t(title.key, title.values)}</StateLabel>
        {others.length > 0 && <Members members={others} />}
        {advice !== undefined && !isExplained && <p class="soft">{t(advice)}</p>}
        {own.map((member) => (
          <OwnRemedy key={member.name} {...member} />
        ))}
      </div>
      <RemedyButton remedy={remedy} />
    </li>
  )
}

/** One folder with the evidence and what solves it there. */
function OwnRemedy({ name, n, place, remedy }: AttentionMember) {
  return (
    <section class="attention-remedy" aria-label={name}>
      <a href={addressOf(...place)}>{name}</a>
      {n !== undefined && <span class="soft"> {t('count.items', { n })}</span>}
      {remedy !== undefined && <RemedyActions remedy={remedy} />}
    </section>
  )
}

function hasOwnRemedy({ actions, command, files, space, watches }: NonNullable<AttentionMember['remedy']>): boolean {
  const isKnown = files !== null || space !== null || watches !== null
  return isKnown || command !== null || actions.includes('choose-place') || actions.includes('change-home-minimum')
}

function Members({ members }: Pick<AttentionEntry, 'members'>) {
  return (
    <ul class="attention-members">
      {members.slice(0, MEMBERS_MAX).map(({ name, place, n }) => (
        <li key={place.join('/')}>
          <a href={addressOf(...place)}>{name}</a>
          {n !== undefined && <span class="soft"> {t('count.items', { n })}</span>}
        </li>
      ))}
      {members.length > MEMBERS_MAX && <li class="soft">{t('attention.more', { n: members.length - MEMBERS_MAX })}</li>}
    </ul>
  )
}

function RemedyButton({ remedy }: { readonly remedy: Remedy }) {
  if (remedy.kind === 'none') return null
  if (remedy.kind === 'guard') return <GuardButtons remedy={remedy} />
  if (remedy.kind === 'go')
    return (
      <a class="button" href={addressOf(...remedy.place)}>
        {t(remedy.word)}
      </a>
    )
  return (
    <Button needs="admin" onClick={() => apply(remedy)}>
      {t(remedy.word)}
    </Button>
  )
}

async function apply(remedy: Exclude<Remedy, { readonly kind: 'go' | 'guard' | 'none' }>): Promise<void> {
  switch (remedy.kind) {
    case 'scan':
      await runAction(() => Promise.all(remedy.folders.map((folder) => client.scan(folder))), t('problems.retried'))
      return
    case 'restart':
      await runAction(() => client.restart(), t('overview.restarting'))
      return
    case 'clear':
      await runAction(() => client.call('POST /rest/system/error/clear'))
      reloadParts(['warnings'])
  }
}
