-- KEYS: the set of open buckets. ARGV: the number of members to add, these members, and the members to remove.
-- Replies with OK.
local open, added = KEYS[1], tonumber(ARGV[1])
local members = redis.pcall('SCARD', open)
if type(members) == 'table' then return members end
for i = 2, added + 1 do redis.call('SADD', open, ARGV[i]) end
for i = added + 2, #ARGV do redis.call('SREM', open, ARGV[i]) end
return redis.status_reply('OK')
