-- KEYS: a bucket. ARGV: the time until which it is kept, or an empty string if it does not expire; and the users.
-- Adds the users to the bucket, if it exists or is kept; if a user changes it, it does not expire. Replies with the number
-- of users that changed it, and with the error for the first user that it did not accept, or an empty string; with nil if
-- it is not kept any longer.
local bucket = KEYS[1]
local length = redis.pcall('STRLEN', bucket)
if type(length) == 'table' then return length end
if redis.call('EXISTS', bucket) == 0 and is_over(ARGV[1]) then return false end
local changed, refused = 0, ''
for user = 2, #ARGV do
  local added = redis.pcall('PFADD', bucket, ARGV[user])
  if type(added) == 'table' then
    if user == 2 then return added end
    refused = added.err
    break
  end
  changed = changed + added
end
if changed > 0 then redis.call('PERSIST', bucket) end
return {changed, refused}
