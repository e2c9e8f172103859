-- wrk learns the method from a script.
wrk.method = "POST"
