export const endDateForm = "must be a date such as 2027-01-31, which is then the last day";

/** The time at which the day after a date begins, on this machine's clock. */
export function readEndDate(text: string): number | undefined {
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text) ?? [];
  const date = new Date(Number(year), Number(month) - 1, Number(day));
  // The 31st of a shorter month would become a day of the next one.
  if (date.getMonth() !== Number(month) - 1 || date.getDate() !== Number(day)) return undefined;
  return new Date(Number(year), Number(month) - 1, Number(day) + 1).getTime();
}
