/** A response of the API: its body is sent as JSON, or as it is where it is text (a page of HTML); `null` for none. */
export interface ApiResponse {
  status: number;
  body: object | string | null;
}
