/** Where the page connects, on the listener that served it. */
export const DASHBOARD_PATH = "/dashboard/live";
