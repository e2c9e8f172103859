/** When the day of a moment began, by the calendar of the time zone of this process or browser. */
export function startOfLocalDay(timeMs: number): number {
  const day = new Date(timeMs)
  return new Date(day.getFullYear(), day.getMonth(), day.getDate()).getTime()
}
