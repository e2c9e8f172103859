/** The height of rows that are not rendered. */
export function Spacer({ heightPx }: { readonly heightPx: number }) {
  return heightPx === 0 ? null : (
    <tr class="spacer" aria-hidden="true" style={{ height: `${heightPx}px` }}>
      <td />
    </tr>
  )
}
